// The module that apps import: scenes, motion, files, text, layers, views and windows. Custom GPU passes also import VitrineGPU.

@_exported import VitrineFiles
@_exported import VitrineLayers
@_exported import VitrineMath
@_exported import VitrineMotion
@_exported import VitrineRender
@_exported import VitrineScene
@_exported import VitrineStage
@_exported import VitrineText
@_exported import VitrineWindow
