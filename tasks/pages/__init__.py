"""Pages: markdown for people, from plain rows. The Prefect UI draws it, `factory show` prints it."""
