import Testing

@testable import VitrineVision
