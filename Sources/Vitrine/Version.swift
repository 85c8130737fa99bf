/// The version of Vitrine, by semantic versioning.
public let vitrineVersion = "0.1.0"
