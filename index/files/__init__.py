"""Files that processes share by mapping them, written so that a crash loses nothing."""
