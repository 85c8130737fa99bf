import Testing

@testable import VitrineAR
