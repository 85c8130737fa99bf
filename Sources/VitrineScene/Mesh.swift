import VitrineGeometry

/// Geometry with the material it is drawn with.
public struct MeshPart {
    /// The shape.
    public var geometry: Geometry
    /// The appearance.
    public var material: Material
    /// The materials in the variants of its model, each with one of `Scene.variantNames`; see `Scene.choose(variant:)`.
    public var alternatives: [(variant: String, material: Material)] = []
    /// The material without a variant, while one is shown.
    var plain: Material?

    /// Makes a part.
    public init(geometry: Geometry, material: Material, alternatives: [(variant: String, material: Material)] = []) {
        (self.geometry, self.material, self.alternatives) = (geometry, material, alternatives)
    }
}

/// One or more parts that a node draws. Shared by every node that refers to it, so that a change affects all of them.
public final class Mesh {
    /// For lookups and messages.
    public var name: String
    /// Set it to add, remove or replace parts.
    public var parts: [MeshPart] {
        didSet { version &+= 1 }
    }
    /// The weights of the morph targets for nodes that set none.
    public var morphWeights: [Float]
    /// Incremented by every change of `parts`: uploads of an older version are out of date.
    public private(set) var version = 0

    /// Makes a mesh of parts.
    public init(name: String = "", parts: [MeshPart], morphWeights: [Float] = []) {
        (self.name, self.parts, self.morphWeights) = (name, parts, morphWeights)
    }

    /// Makes a mesh with one part.
    public convenience init(name: String = "", geometry: Geometry, material: Material) {
        self.init(name: name, parts: [MeshPart(geometry: geometry, material: material)])
    }

    /// Around all parts, local frame, metres.
    public var bounds: BoundingBox { parts.reduce(.empty) { $0.union($1.geometry.bounds) } }
    /// Number of triangles of all parts.
    public var triangleCount: Int { parts.reduce(0) { $0 + $1.geometry.triangleCount } }
    /// The largest number of morph targets of a part.
    public var morphTargetCount: Int { parts.reduce(0) { max($0, $1.geometry.morphTargets.count) } }
}
