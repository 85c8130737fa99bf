import Testing

@testable import VitrineTexture
