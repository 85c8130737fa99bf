/// A tracker that keeps what it sees of places, and finds them again.
public protocol MappingTracker: Tracker {
    /// What is known of the present world so far; empty where nothing is.
    var landmarkMap: LandmarkMap { get }
    /// How well the newest picture's place is known.
    var familiarity: MappingStatus { get }
    /// Looks for a world that was kept. Tracking goes on in a world of its own, `limited(.relocalizing)`, until the place is seen and known again;
    /// then `TrackingResult.relocalizationCorrection` says how the one lies in the other, and poses are told in the kept world. What the tracker
    /// knew of places is forgotten; so is the map, by `reset()`.
    func find(_ map: LandmarkMap)
}
