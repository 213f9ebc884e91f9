"""Adapters: a snapshot's tasks as the tool loops of trainers play them; each leans on its own library and on no other."""
