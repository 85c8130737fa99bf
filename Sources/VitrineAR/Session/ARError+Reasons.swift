import VitrineTracking

extension ARError {
    static func unsupported(_ configuration: any ARConfiguration) -> ARError {
        ARError(
            .unsupportedConfiguration,
            "\(type(of: configuration)) needs an inertial unit, which the source doesn't have: pictures alone (tracking: .visual), poses (.recorded) or a tracker (.custom) would do"
        )
    }

    static let relocalization = ARError(
        .unsupported,
        "this tracker can't find a saved world again: initialWorldMap needs tracking .automatic with an inertial unit, or a tracker that is a MappingTracker"
    )

    static let mapWithoutPlaces = ARError(
        .invalidWorldMap,
        "initialWorldMap knows no views of its place, so it can't be found again; its anchors can be added by add(anchor:)")

    static func impossible(_ scale: VisualScale) -> ARError {
        ARError(.invalidValue, "\(scale) can't be meant: a size is between 0.1 mm and 100 km")
    }

    static func noTracker(_ configuration: String) -> ARError {
        ARError(.unsupported, "there is no tracker for \(configuration) yet: give one (tracking: .custom) or poses (tracking: .recorded)")
    }
}
