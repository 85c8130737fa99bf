@_exported import VitrineARView
@_exported import VitrineCapture
