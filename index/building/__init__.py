"""Indexes built aside, checked, and published as snapshots."""
