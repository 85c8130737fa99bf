@_exported import VitrineFiles
@_exported import VitrineScene
