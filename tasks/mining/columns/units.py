"""Units: what a number is counted in, as headers and cells write it."""

from __future__ import annotations

import re

_NAMES = {
    "percent": "% pct percent percentage per_cent",
    "kilograms": "kg kgs kilogram kilograms",
    "grams": "g gr gram grams",
    "milligrams": "mg milligram milligrams",
    "tonnes": "t tonne tonnes",
    "pounds": "lb lbs pounds",
    "ounces": "oz ounce ounces",
    "kilometres": "km kms kilometre kilometres kilometer kilometers",
    "metres": "m metre metres meter meters",
    "centimetres": "cm cms centimetre centimetres centimeter centimeters",
    "millimetres": "mm millimetre millimetres millimeter millimeters",
    "miles": "mi mile miles",
    "feet": "ft foot feet",
    "inches": "in inch inches",
    "square kilometres": "km2 km² sq_km sqkm square_kilometres square_kilometers",
    "square metres": "m2 m² sq_m sqm square_metres square_meters",
    "square miles": "sq_mi sqmi square_miles",
    "square feet": "sqft sq_ft ft2 ft² square_feet",
    "hectares": "ha hectare hectares",
    "acres": "acre acres",
    "litres": "l litre litres liter liters",
    "millilitres": "ml millilitre millilitres milliliter milliliters",
    "gallons": "gal gallon gallons",
    "seconds": "s sec secs second seconds",
    "milliseconds": "ms millisecond milliseconds",
    "minutes": "min mins minute minutes",
    "hours": "h hr hrs hour hours",
    "days": "d day days",
    "weeks": "week weeks",
    "months": "month months",
    "years": "yr yrs year years",
    "kilometres per hour": "km/h kmh kph kmph",
    "miles per hour": "mph mi/h",
    "metres per second": "m/s",
    "degrees Celsius": "°c deg_c celsius",
    "degrees Fahrenheit": "°f deg_f fahrenheit",
    "degrees": "° deg degrees",
    "kilowatt hours": "kwh",
    "megawatts": "mw",
    "kilowatts": "kw",
    "megabytes": "mb",
    "gigabytes": "gb",
    "kilobytes": "kb",
    "bytes": "bytes",
    "hectopascals": "hpa",
    "millibars": "mbar millibars",
    "thousands": "thousand thousands 000s",
    "millions": "million millions mn",
    "billions": "billion billions bn",
    "dollars": "$ usd us$ dollar dollars",
    "euros": "€ eur euro euros",
    "pounds sterling": "£ gbp",
    "yen": "¥ jpy yen",
    "million dollars": "$m $mn million_dollars millions_of_dollars usd_millions $_millions $_million",
    "billion dollars": "$b $bn billion_dollars billions_of_dollars",
    "thousand dollars": "$k $000 $000s thousand_dollars thousands_of_dollars",
}
UNITS = {short.replace("_", " "): unit for unit, shorts in _NAMES.items() for short in shorts.split()}
"""Every way of writing a unit, in lower case, and the unit in plain words."""

_BEHIND_A_WORD = frozenset(
    "% pct kg kgs km kms cm cms mm mph kph kmh kwh usd eur gbp jpy lbs sqft sqkm km2 hpa mbar km/h $ € £".split()
)
"""What is a unit and nothing else at the end of a name: `weight_kg`, but neither `year_in` nor `duration_min`."""

_IN_BRACKETS = re.compile(r"^(?P<name>.*\S)\s*[(\[]\s*(?:in\s+)?(?P<unit>[^()\[\]]+?)\s*[)\]]$")
_AFTER_IN = re.compile(r"^(?P<name>.*\S)\s+in\s+(?P<unit>[^()]+)$", re.IGNORECASE)
_AFTER_COMMA = re.compile(r"^(?P<name>.*\S)\s*[,;]\s*(?P<unit>[^,;]+)$")
_LAST_WORD = re.compile(r"^(?P<name>.*[^\s_$€£%])[\s_]*(?P<unit>[$€£%])$|^(?P<name2>.*\S)[\s_]+(?P<unit2>\S+)$")


def unit_named(text: str) -> str | None:
    """Return the unit that a text writes, in plain words: 'km' → 'kilometres'; None when it writes none."""
    return UNITS.get(re.sub(r"[\s_]+", " ", text).strip(" .").lower())


def split_unit(header: str) -> tuple[str, str | None]:
    """Return a header without its unit, and the unit: 'Height (cm)' → ('Height', 'centimetres')."""
    for pattern in (_IN_BRACKETS, _AFTER_IN, _AFTER_COMMA):
        found = pattern.match(header)
        unit = unit_named(found["unit"]) if found else None
        if found and unit:
            return found["name"].rstrip(" ,;:-"), unit
    found = _LAST_WORD.match(header)
    if found:
        name, written = (found["name"], found["unit"]) if found["unit"] else (found["name2"], found["unit2"])
        if written.lower() in _BEHIND_A_WORD:
            return name.rstrip(" ,;:-_"), unit_named(written)
    return header, None
