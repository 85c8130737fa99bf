@_exported import VitrineImageFiles
