@_exported import VitrineScene
@_exported import VitrineTracking
