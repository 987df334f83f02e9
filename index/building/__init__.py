"""Build indexes beside the published one, check them, and publish them as snapshots."""
