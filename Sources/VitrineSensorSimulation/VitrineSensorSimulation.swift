@_exported import VitrineTracking
