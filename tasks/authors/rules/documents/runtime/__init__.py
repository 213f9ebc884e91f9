"""The document tools' own source: standard library only, copied into each module of tools that has documents."""
