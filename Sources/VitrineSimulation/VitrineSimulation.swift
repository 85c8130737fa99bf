@_exported import Vitrine
@_exported import VitrineAR
@_exported import VitrineSensorSimulation
