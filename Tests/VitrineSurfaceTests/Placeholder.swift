import Testing

@testable import VitrineSurface
