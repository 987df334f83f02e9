"""Backups of a workspace: written while it is in use, checked before anything of them is
restored.
"""
