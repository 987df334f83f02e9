"""Exported files for people, spreadsheets and translation tools."""
