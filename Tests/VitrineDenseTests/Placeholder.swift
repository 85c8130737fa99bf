import Testing

@testable import VitrineDense
