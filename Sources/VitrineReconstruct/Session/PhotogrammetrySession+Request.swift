import VitrineGeometry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PhotogrammetrySession {
    /// An output to make from the photos.
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
    /// The level of detail of a model.
    ///
    /// | level | triangles | texture, pixels | texture maps |
    /// | --- | --- | --- | --- |
    /// | `preview` | < 25,000 | 1,024 | diffuse colour, normal, ambient occlusion |
    /// | `reduced` | < 50,000 | 2,048 | diffuse colour, normal, ambient occlusion |
    /// | `medium` | < 100,000 | 4,096 | diffuse colour, normal, ambient occlusion |
    /// | `full` | < 250,000 | 8,192 | all |
    /// | `raw` | < 30,000,000 | 8,192 | diffuse colour |
    public enum Detail: String, CaseIterable, Comparable, Codable, Sendable {
        /// A coarse model for a quick check of the photos.
        case preview
        /// A small model for the web and augmented reality.
        case reduced
        /// A detailed model for close views.
        case medium
        /// A model for production, with all maps.
        case full
        /// The unreduced mesh, for processing in other programs.
        case raw
        /// A model as `Configuration.customDetailSpecification` specifies it.
        case custom

        /// Whether `a` has less detail than `b`; `.custom` counts as the most.
        public static func < (a: Detail, b: Detail) -> Bool { a.order < b.order }
        private var order: Int { Detail.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The part of the scene that becomes the model, and the model's transform.
    public struct Geometry: Hashable, Sendable {
        /// The session cuts the model at this box; `nil` keeps the segmented object. Model frame, before `transform`.
        public var orientedBounds: OrientedBoundingBox?
        /// The transform that is applied to the finished model. Default identity.
        public var transform: Transform

        /// Creates a geometry with an oriented box.
        public init(orientedBounds: OrientedBoundingBox? = nil, transform: Transform = .identity) {
            (self.orientedBounds, self.transform) = (orientedBounds, transform)
        }

        /// Creates a geometry with a box along the model's axes.
        public init(bounds: BoundingBox?, transform: Transform = .identity) {
            self.init(orientedBounds: bounds.map { OrientedBoundingBox(bounds: $0) }, transform: transform)
        }

        /// The extent of `orientedBounds` in the box's own frame; `nil` without a box.
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
    /// The extent in the box's own frame.
    public var bounds: BoundingBox
    /// Rotates points of the box's frame into the model's frame, about the model's origin.
    public var orientation: Quaternion

    /// Creates a box with an orientation.
    public init(bounds: BoundingBox, orientation: Quaternion = .identity) { (self.bounds, self.orientation) = (bounds, orientation) }

    /// Whether a point of the model's frame lies inside.
    public func contains(_ point: Vector3) -> Bool { bounds.contains(orientation.inverse.rotate(point)) }
}
