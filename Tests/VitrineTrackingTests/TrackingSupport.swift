import Testing
@_exported import VitrineSensorSimulation

@testable import VitrineTracking
