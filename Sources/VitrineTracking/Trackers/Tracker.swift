import VitrineMapping
import VitrineVision

/// Estimates the pose of a camera from images and inertial samples.
///
/// Pass samples and images in the order of their measurement. The same input gives the same output, bit for bit.
/// An image may arrive before the inertial samples of its time; the tracker then extrapolates from the samples that it has.
public protocol Tracker: AnyObject {
    /// Adds an inertial sample. Samples that are out of order or not finite are skipped and counted.
    func add(_ sample: InertialSample)
    /// Estimates the pose of the camera at the time of an image.
    /// - Parameters:
    ///   - image: Luma, 0…255, in the camera's encoding (similar to sRGB).
    ///   - time: Seconds on the camera's clock.
    func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult
    /// Discards the pose and the map. Keeps the estimated biases of the IMU and the offset of its clock.
    func reset()
    /// The device was interrupted and may have been moved: the pose is unknown, the map remains. The tracker reports `limited(.relocalizing)` until
    /// it relocalizes. The default changes nothing: the session reports `limited(.relocalizing)` until the tracker's state is normal.
    func interrupt()
}

extension Tracker {
    /// Default implementation: does nothing.
    public func interrupt() {}
}

/// A tracker that builds a landmark map and relocalizes in it.
package protocol MappingTracker: Tracker {
    /// The landmark map of the current world; empty at the start.
    var landmarkMap: LandmarkMap { get }
    /// The map's coverage of the newest frame's view.
    var mappingStatus: MappingStatus { get }
    /// Discards the current map and relocalizes in a saved one.
    ///
    /// Until relocalization succeeds, the tracker works in a coordinate system of its own and reports `limited(.relocalizing)`.
    /// ``TrackingResult/relocalizationCorrection`` then transforms earlier poses to the saved map's world, in which all later poses are
    /// reported. ``Tracker/reset()`` discards the map.
    func relocalize(in map: LandmarkMap)
}
