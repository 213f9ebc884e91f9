"""The diagnostician: says why a policy fails, in claims that cite attempts and that the program's own counts bear out."""
