import Testing

@testable import VitrineTracking
