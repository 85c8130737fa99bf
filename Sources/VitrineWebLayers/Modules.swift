// The module `Vitrine` of web pages: what scene code shares with other platforms. There are no windows, files and threads here.

@_exported import VitrineGeometry
@_exported import VitrineLayers
@_exported import VitrineMath
@_exported import VitrineMotion
@_exported import VitrineRender
@_exported import VitrineScene
@_exported import _Concurrency
