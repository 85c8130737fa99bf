import Testing

@testable import VitrineARView
