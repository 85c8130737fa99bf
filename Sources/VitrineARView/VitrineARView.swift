@_exported import Vitrine
@_exported import VitrineAR
