import Testing

@testable import VitrineReconstruct
