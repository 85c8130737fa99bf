// What an app imports: one name for every room.

@_exported import VitrineFiles
@_exported import VitrineGPU
@_exported import VitrineGeometry
@_exported import VitrineLayers
@_exported import VitrineMath
@_exported import VitrineMotion
@_exported import VitrineRender
@_exported import VitrineScene
@_exported import VitrineText
@_exported import VitrineWindow
