@_exported import VitrineScene
@_exported import VitrineTracking
@_exported import VitrineVision
