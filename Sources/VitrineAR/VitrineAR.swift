@_exported import VitrineScene
@_exported import VitrineTracking

// Of the module of image features, only the type of image channels belongs to the API.
@_exported import struct VitrineVision.Plane
