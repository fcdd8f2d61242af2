"""client - Sessions, device listings and timelines."""
