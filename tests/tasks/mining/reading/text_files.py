"""Odd text files: delimited text, json and pages, as people's programs and hands leave them."""

import codecs
import json

from tasks.mining.reading.raw import ReadingLimits
from tests.tasks.mining.reading.cases import refused, table

_MANY = "id,name\n" + "".join(f"{i},n{i}\n" for i in range(1, 1001))
_WIDE = ",".join(f"q{i}" for i in range(5000))
_SURVEY = "Region,2019,,2020,\n,Sales,Units,Sales,Units\n" + "".join(f"R{i},{i}0,{i},{i}1,{i}\n" for i in range(1, 6))
_ORDERS = {
    "orders": [
        {"id": 7, "customer": {"name": "Ünal", "city": "Köln"}, "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]},
        {"id": 9, "customer": {"name": "Li"}, "lines": [], "tags": ["new", "big"]},
    ]
}
_NO_ID = [{"name": "x", "visits": [{"day": 1}, {"day": 2}]}, {"name": "x", "visits": [{"day": 3}]}]
_GEO = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {"name": "Köln"}, "geometry": {"type": "Point", "coordinates": [6.9, 50.9]}},
        {
            "type": "Feature",
            "properties": {"name": "Rhein"},
            "geometry": {"type": "LineString", "coordinates": [[1, 2]]},
        },
    ],
}
_FIXTURE = [
    {"pk": 1, "model": "shop.artist", "fields": {"name": "AC/DC"}},
    {"pk": 9, "model": "shop.album", "fields": {"artist": 1, "title": "Powerage"}},
]
_PAGE = (
    "<html><head><meta charset='{0}'></head><body><table><caption>Prices</caption>"
    "<tr><th rowspan=2>City</th><th colspan=2>2019</th></tr><tr><th>Rent</th><th>Sale</th></tr>"
    "<tr><td rowspan=2>Köln</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table></body></html>"
)
_TWO_TABLES = (
    "<table id=one><tr><td>a<td>b<tr><td>1<td>2</table><table><tr><td>menu</td></tr></table>"
    "<table><tr><th>c<th>d<tr><td>3<td>4<tr><td>5<td>6</table>"
)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


DELIMITED = [
    table("plain.csv", b"a,b\n1,2\n3,4\n", 2, "a b", (1, "b", "4"), members=(None,)),
    table("tabs.tsv", b"a\tb\n1\tx y\n", 1, "a b", (0, "b", "x y")),
    table("semicolons_and_decimal_commas.csv", b"a;b\n1,5;2\n3,5;4\n", 2, "a b", (0, "a", "1,5"), "delimiter"),
    table("pipes.txt", b"a|b|c\n1|2|3\n4|5|6\n", 2, "a b c", (1, "c", "6")),
    table("tabs_called_csv.csv", b"a\tb\n1\t2\n", 1, "a b", (0, "b", "2"), "delimiter"),
    table("excel_hint.csv", b"sep=;\na;b\n1;2\n", 1, "a b", (0, "b", "2"), "delimiter"),
    table("one_column.csv", b"name\nUlm\nBonn\n", 2, "name", (1, "name", "Bonn")),
    table("one_column_of_prose.csv", b"note\nwell, yes\nno\nso, so, so\nok\nfine\n", 5, "note", (0, "note", "well, yes")),
    table("suffix_in_capitals.CSV", b"a,b\n1,2\n", 1, "a b"),
    table("no_last_line_end.csv", b"a,b\n1,2\n3,4", 2, "a b", (1, "b", "4")),
    table("crlf.csv", b"a,b\r\n1,2\r\n", 1, "a b", (0, "b", "2")),
    table("old_mac_line_ends.csv", b"a,b\r1,2\r3,4\r", 2, "a b", (1, "a", "3")),
    table("mixed_line_ends.csv", b"a,b\r\n1,2\n3,4\r5,6\n", 3, "a b", (2, "b", "6")),
    table("blank_lines_between.csv", b"a,b\n\n1,2\n\n\n3,4\n\n", 2, "a b", (1, "b", "4")),
    table("lines_of_commas_at_the_end.csv", b"a,b\n1,2\n,\n,\n", 1, "a b", None, "empty_row"),
    table("quoted_line_ends.csv", b'a,b\n1,"x\ny"\n2,"p,q"\n', 2, "a b", (0, "b", "x\ny")),
    table("doubled_quotes.csv", b'a,b\n1,"say ""hi"""\n', 1, "a b", (0, "b", 'say "hi"')),
    table("backslash_quotes.csv", b'a,b\n1,"say \\"hi\\", ok"\n', 1, "a b", (0, "b", 'say "hi", ok')),
    table("unclosed_quote.csv", b'a,b\n1,"x\n2,y\n3,z\n', 3, "a b", (0, "b", "x"), "quotes"),
    table("unclosed_quote_later_closed.csv", b'a,b\n1,"x\n2,y\n3,"z"\n4,w\n', 4, "a b", (2, "b", "z"), "quotes"),
    table("unclosed_quote_in_the_last_line.csv", b'a,b\n1,x\n2,"y\n', 2, "a b", (1, "b", "y"), "quotes"),
    table("quote_inside_a_cell.csv", b'a,b\n5" disk,1\n3" disk,2\n', 2, "a b", (0, "a", '5" disk')),
    table("rows_too_short.csv", b"a,b,c\n1,2,3\n4\n5,6,7\n", 3, "a b c", (1, "c", None), "ragged_row"),
    table("rows_too_long.csv", b"a,b\n1,2\n3,4,5\n6,7\n", 2, "a b", (1, "a", "6"), "ragged_row", unreadable=1),
    table("commas_at_line_ends.csv", b"a,b\n1,2,\n3,4,\n", 2, "a b", (1, "b", "4"), "ragged_row"),
    table("duplicate_names.csv", b"a,a,b,a\n1,2,3,4\n", 1, "a a_2 b a_3", (0, "a_3", "4"), "duplicate_header"),
    table("duplicate_of_a_renamed_name.csv", b"a,a,a_2\n1,2,3\n", 1, "a a_3 a_2", (0, "a_2", "3"), "duplicate_header"),
    table("unnamed_first_column.csv", b",x\n0,5\n1,6\n", 2, "column_1 x", (1, "column_1", "1"), "empty_header"),
    table("header_without_row_numbers.csv", b"x,y\n1,5,a\n2,6,b\n3,7,c\n", 3, "column_1 x y", (2, "y", "c"), "empty_header"),
    table("no_header.csv", b"1,2.5\n3,4.5\n5,6.5\n", 3, "column_1 column_2", (0, "column_2", "2.5"), "empty_header"),
    table("years_as_header.csv", b"2019,2020\n5,6\n7,8\n", 2, "2019 2020", (0, "2020", "6")),
    table("title_above.csv", b"Sales report\n\na,b,c\n1,2,3\n4,5,6\n", 2, "a b c", (0, "a", "1"), "preamble"),
    table("total_below.csv", b"city,n,m\nUlm,1,2\nBonn,2,3\nTotal,3,5\n", 2, "city n m", (1, "city", "Bonn"), "footer"),
    table("source_below.csv", b"city,n,m\nUlm,1,2\n\nSource: own count\n", 1, "city n m", (0, "n", "1"), "footer"),
    table("total_in_the_middle.csv", b"k,n\nTotal,1\na,2\nb,3\nc,4\nd,5\ne,6\nf,7\n", 7, "k n", (0, "k", "Total")),
    table("two_header_lines.csv", _SURVEY.encode(), 5, 5, (0, "2019 / Units", "1"), "multi_line_header"),
    table("groups_above_equal_names.csv", b",,In,,Out,\ncity,n,a,b,a,b\nUlm,9,1,2,3,4\nBonn,8,5,6,7,8\n", 2, 6,
          (1, "Out / b", "8"), "multi_line_header"),
    table("header_only.csv", b"a,b,c\n", 0, "a b c"),
    table("emoji_and_greek_names.csv", "🎉,όνομα,名前\n1,2,3\n".encode(), 1, "🎉 όνομα 名前", (0, "🎉", "1")),
    table("reserved_words.csv", b"select,from,order\n1,2,3\n", 1, "select from order", (0, "from", "2")),
    table("line_end_in_a_name.csv", b'"unit\nprice",b\n1,2\n', 1, 2, (0, "unit price", "1")),
    table("five_thousand_columns.csv", f"{_WIDE}\n{_WIDE}\n".encode(), 1, 5000, (0, "q4999", "q4999")),
    table("long_cell.csv", b"a,b\n1," + b"x" * 300_000 + b"\n2,y\n", 2, "a b", (1, "b", "y")),
    table("nul_bytes.csv", b"a,b\n1,x\x00y\n\x0b2,z\n", 2, "a b", (0, "b", "xy"), "control_character"),
    table("more_rows_than_wanted.csv", _MANY.encode(), 100, "id name", None, "sampled", beyond=900,
          limits=ReadingLimits(rows=100)),
    table("data.txt", b"a,b,c\n1,2,3\n4,5,6\n", 2, "a b c", (1, "c", "6")),
    refused("empty.csv", b"", "empty"),
    refused("blanks.csv", b" \n\n \t\r\n", "empty"),
    refused("byte_order_mark_alone.csv", codecs.BOM_UTF8, "empty"),
    refused("commas_alone.csv", b",,\n,,\n", "no_table"),
    refused("no_line_ends.csv", b"x" * 5_000, "damaged", limits=ReadingLimits(line_characters=1_000)),
    refused("letter.txt", b"Dear all,\nthe meeting is on\nMonday. See you.\n", "no_table"),
    refused("calendar.ics", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "unknown_format"),
    refused("noise.csv", bytes(range(256)) * 40, "unknown_format"),
    refused("plain.csv/asked_for_a_member.csv", b"a,b\n1,2\n", "no_member", member="x"),
]  # fmt: skip

_PEOPLE = "name,stadt\nJosé,Orléans\nMüller,Köln\nZoë,Besançon\n"
ENCODED = [
    table("utf8_with_mark.csv", codecs.BOM_UTF8 + _PEOPLE.encode(), 3, "name stadt", (1, "stadt", "Köln")),
    table("utf16.csv", _PEOPLE.encode("utf-16"), 3, "name stadt", (1, "name", "Müller"), "encoding"),
    table("utf16_without_mark.csv", _PEOPLE.encode("utf-16-le"), 3, "name stadt", (2, "name", "Zoë"), "encoding"),
    table("utf32.csv", _PEOPLE.encode("utf-32"), 3, "name stadt", (2, "name", "Zoë"), "encoding"),
    table("latin1.csv", _PEOPLE.encode("latin-1"), 3, "name stadt", (0, "stadt", "Orléans"), "encoding"),
    table("cp1252_quotes.csv", "text,price\n“quoted” it’s,€5\nl’été,€6\n".encode("cp1252"), 2, "text price",
          (0, "price", "€5"), "encoding"),
    table("mac_roman.csv", "name\nRodríguez Skarsgård\nVélez Chloë\nCerón\n".encode("mac_roman"), 3, "name",
          (1, "name", "Vélez Chloë"), "encoding"),
    table("shift_jis.csv", "名前,年齢\n田中太郎,3\n鈴木花子,4\n".encode("cp932"), 2, "名前 年齢", (0, "名前", "田中太郎"), "encoding"),
    table("cyrillic.csv", "имя,город\nИван,Москва\nМария,Казань\n".encode("cp1251"), 2, "имя город",
          (1, "город", "Казань"), "encoding"),
    table("chinese.csv", "姓名,城市\n王伟,北京\n李娜,上海\n".encode("gb18030"), 2, "姓名 城市", (0, "城市", "北京"), "encoding"),
    table("one_broken_byte.csv", ("a,b\n" + "é,ö\n" * 30).encode() + b"x\xff,y\n", 31, "a b", (30, "a", "x�"), "encoding"),
]  # fmt: skip

DOCUMENTS = [
    table("records.json", _json([{"a": 1, "b": 0.1, "c": True}, {"a": None, "d": "late"}]), 2, "a b c d",
          (0, "c", "true"), members=(None,)),
    table("map_of_records.json", _json({"UA": {"name": "United"}, "DL": {"name": "Delta"}}), 2, "key name", (1, "key", "DL")),
    table("records_under_a_key.json", _json({"count": 1, "rows": [{"a": 1}]}), 1, "a", (0, "a", "1"), member="rows"),
    table("records_deep_within.json", _json({"meta": {"v": 1}, "response": {"items": [{"a": 5}]}}), 1, "a", (0, "a", "5")),
    table("several_lists.json", _json({"cats": [{"a": 1}], "dogs": [{"b": 2}, {"b": 3}]}), 2, "b", (1, "b", "3"),
          member="dogs", members=("cats", "dogs")),
    table("nested_orders.json", _json(_ORDERS), 2, "id customer_name customer_city", (0, "customer_city", "Köln"), "flattened",
          member="orders", members=("orders", "orders[].lines[]", "orders[].tags[]")),
    table("nested_lines.json", _json(_ORDERS), 2, "order_id sku n", (1, "sku", "b"), "flattened", member="orders[].lines[]"),
    table("list_of_words.json", _json(_ORDERS), 2, "order_id tag", (1, "order_id", "9"), "flattened", member="orders[].tags[]"),
    table("patients.json", _json(_NO_ID), 2, "patient_id name", (1, "patient_id", "2"), "flattened",
          members=(None, "[].visits[]")),
    table("patients/visits.json", _json(_NO_ID), 3, "visit_id day", (2, "visit_id", "2"), "flattened", member="[].visits[]"),
    table("django_fixture.json", _json(_FIXTURE), 1, "pk artist title", (0, "title", "Powerage"), member="shop.album",
          members=("shop.artist", "shop.album")),
    table("django_by_model.json", _json(_FIXTURE), 1, "pk name", (0, "name", "AC/DC"), member="shop.artist",
          discriminator="model"),
    table("places.geojson", _json(_GEO), 2, "name longitude latitude geometry_type", (0, "latitude", "50.9"), "flattened"),
    table("columns.json", _json({"a": [1, 2], "b": ["x", "y"]}), 2, "a b", (1, "b", "y")),
    table("pandas_columns.json", _json({"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}), 2, "a b", (1, "a", "2")),
    table("split.json", _json({"columns": ["a", "b"], "index": [0], "data": [[1, "x"]]}), 1, "a b", (0, "b", "x")),
    table("lists_of_lists.json", _json([["a", "b"], [1, 2], [3, 4]]), 2, "a b", (1, "b", "4")),
    table("not_a_number.json", b'[{"a": NaN, "b": 1}]', 1, "a b", (0, "a", None)),
    table("records_and_strays.json", _json([{"a": 1}, 5, {"a": 2}]), 2, "a", (1, "a", "2"), "flattened", unreadable=1),
    table("lines.jsonl", b'{"a": 1}\n{"a": 2, "b": {"c": 3}}\n', 2, "a b_c", (1, "b_c", "3"), "flattened", members=(None,)),
    table("lines_called_json.json", b'{"a": 1}\n{"a": 2}\n', 2, "a", (1, "a", "2")),
    table("broken_line.jsonl", b'{"a": 1}\n{"a": \n{"a": 3}\n', 2, "a", (1, "a", "3"), "flattened", unreadable=1),
    table("json_called_txt.txt", _json([{"a": 1}]), 1, "a", (0, "a", "1")),
    table("utf16.json", json.dumps([{"a": "ü"}]).encode("utf-16"), 1, "a", (0, "a", "ü"), "encoding"),
    refused("cut.json", b'[{"a": 1}, {"a"', "damaged"),
    refused("deep.json", b"[" * 100_000, "too_deep"),
    refused("deep_objects.json", b'[{"a":' * 100_000, "too_deep"),
    refused("deeper_than_agreed.json", b"[" + b'{"a":' * 80 + b"1" + b"}" * 80 + b"]", "too_deep"),
    refused("deep_line.jsonl", b'{"a": 1}\n' + b'{"a":' * 100_000 + b"\n", "too_deep"),
    refused("numbers.json", b"[1, 2]", "no_table"),
    refused("settings.json", b'{"port": 80, "paths": {"log": "x"}}', "no_table"),
    refused("too_large.json", _json([{"a": "x" * 200}]), "too_large", limits=ReadingLimits(document_bytes=100)),
    refused("no_such_key.json", _json({"rows": [{"a": 1}]}), "no_member", member="lines"),
    refused("blank.json", b"  \n ", "empty"),
    refused("prose.jsonl", b"hello\nworld\n", "damaged"),
]  # fmt: skip

PAGES = [
    table("spanning_cells.html", _PAGE.format("utf-8").encode(), 2, 3, (1, "City", "Köln"), "multi_line_header",
          "merged_cell", members=(None,)),
    table("latin1_page.html", _PAGE.format("iso-8859-1").encode("latin-1"), 2, 3, (0, "2019 / Sale", "2"),
          "multi_line_header", "merged_cell"),
    table("page_called_xls.xls", _PAGE.format("utf-8").encode(), 2, 3, (0, "City", "Köln"), "multi_line_header", "merged_cell"),
    table("two_tables.html", _TWO_TABLES.encode(), 2, "c d", (1, "d", "6"), member="table 3", members=("one", "table 3")),
    refused("no_table.html", b"<html><p>hello</p></html>", "no_table"),
    refused("no_such_table.html", _TWO_TABLES.encode(), "no_member", member="two"),
]  # fmt: skip
