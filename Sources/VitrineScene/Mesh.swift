import VitrineGeometry

/// A geometry with its material.
public struct MeshPart {
    /// The geometry of the part: its vertices and primitives.
    public var geometry: Geometry
    /// The material of the part.
    public var material: Material
    /// The materials of the part in the variants of its model, each with one of `Scene.variantNames`; see `Scene.choose(variant:)`.
    public var alternatives: [(variant: String, material: Material)] = []
    /// The material without a variant, while a variant is active.
    var plain: Material?

    /// Creates a part.
    public init(geometry: Geometry, material: Material, alternatives: [(variant: String, material: Material)] = []) {
        (self.geometry, self.material, self.alternatives) = (geometry, material, alternatives)
    }
}

/// One or more parts that a node draws. A reference type: a change affects all nodes that share the mesh.
public final class Mesh {
    /// The name, for lookups and messages.
    public var name: String
    /// The parts of the mesh. Set the array to add, remove or replace parts.
    public var parts: [MeshPart] {
        didSet { version &+= 1 }
    }
    /// The weights of the morph targets for nodes without their own weights.
    public var morphWeights: [Float]
    /// The version, incremented by every change of `parts`: GPU data of an older version is out of date.
    public private(set) var version = 0

    /// Creates a mesh from parts.
    public init(name: String = "", parts: [MeshPart], morphWeights: [Float] = []) {
        (self.name, self.parts, self.morphWeights) = (name, parts, morphWeights)
    }

    /// Creates a mesh with one part.
    public convenience init(name: String = "", geometry: Geometry, material: Material) {
        self.init(name: name, parts: [MeshPart(geometry: geometry, material: material)])
    }

    /// The bounds of all parts in metres in the local frame.
    public var bounds: BoundingBox { parts.reduce(.empty) { $0.union($1.geometry.bounds) } }
    /// The number of triangles of all parts.
    public var triangleCount: Int { parts.reduce(0) { $0 + $1.geometry.triangleCount } }
    /// The largest number of morph targets of a part.
    public var morphTargetCount: Int { parts.reduce(0) { max($0, $1.geometry.morphTargets.count) } }
}
