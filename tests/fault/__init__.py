"""What when it breaks? Real kills, real full disks, real flipped bits."""
