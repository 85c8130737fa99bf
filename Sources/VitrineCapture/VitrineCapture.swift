@_exported import VitrineAR
@_exported import VitrineReconstruct
