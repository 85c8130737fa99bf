import Foundation
import VitrineGeometry

extension PhotogrammetrySession {
    /// One thing to make from the photos.
    public enum Request: Hashable, Sendable {
        /// A model in a file; its format by the URL's extension, one of `ModelFile.extensions`: `.usdz`, `.glb`, `.obj` (with `.mtl` and textures
        /// beside it) …
        case modelFile(url: URL, detail: Detail = .reduced, geometry: Geometry? = nil)
        /// A model in memory.
        case modelEntity(detail: Detail = .reduced, geometry: Geometry? = nil)
        /// The box around the object, model frame.
        case bounds
        /// The points that the photos agree on, with colours.
        case pointCloud
        /// The poses of the photos' cameras.
        case poses
    }
}

extension PhotogrammetrySession.Request {
    /// The level of detail of a model: see `DetailLimits` for the exact numbers.
    public enum Detail: String, CaseIterable, Comparable, Codable, Sendable {
        /// For a first look.
        case preview
        /// For the web and augmented reality.
        case reduced
        /// For close views.
        case medium
        /// For production, with all maps.
        case full
        /// The unreduced mesh, for processing in other programs.
        case raw
        /// By `Configuration.customDetailSpecification`.
        case custom

        /// Whether `a` has less detail than `b`; `.custom` counts as the most.
        public static func < (a: Detail, b: Detail) -> Bool { a.order < b.order }
        private var order: Int { Detail.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The part of the scene that becomes the model, and the model's transform.
    public struct Geometry: Hashable, Sendable {
        /// The model is cut at this box; nil keeps the segmented object. Model frame, before `transform`.
        public var orientedBounds: OrientedBoundingBox?
        /// Applied to the finished model.
        public var transform: Transform

        /// Creates a geometry with an oriented box.
        public init(orientedBounds: OrientedBoundingBox? = nil, transform: Transform = .identity) {
            (self.orientedBounds, self.transform) = (orientedBounds, transform)
        }

        /// Creates a geometry with a box along the model's axes.
        public init(bounds: BoundingBox?, transform: Transform = .identity) {
            self.init(orientedBounds: bounds.map { OrientedBoundingBox(bounds: $0) }, transform: transform)
        }

        /// The oriented box's own extent, before its orientation; nil without one.
        public var bounds: BoundingBox? { orientedBounds?.bounds }
    }

    var detail: Detail? {
        switch self {
        case .modelFile(_, let detail, _), .modelEntity(let detail, _): detail
        case .bounds, .pointCloud, .poses: nil
        }
    }

    var geometry: Geometry? {
        switch self {
        case .modelFile(_, _, let geometry), .modelEntity(_, let geometry): geometry
        case .bounds, .pointCloud, .poses: nil
        }
    }
}

/// A box with an orientation.
public struct OrientedBoundingBox: Hashable, Sendable {
    /// In the box's own frame.
    public var bounds: BoundingBox
    /// From the box's frame to the model's.
    public var orientation: Quaternion

    /// Creates a box.
    public init(bounds: BoundingBox, orientation: Quaternion = .identity) { (self.bounds, self.orientation) = (bounds, orientation) }

    /// Whether a point of the model's frame lies inside.
    public func contains(_ point: Vector3) -> Bool { bounds.contains(orientation.inverse.rotate(point)) }
}
