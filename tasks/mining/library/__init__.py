"""Library: a user's folder tree of data becomes themes, and files of other folders that join them are found."""
