import VitrineMath

/// A material at a point, seen from one side, before it is lit: the counterpart of the real-time shader's `Surface`.
struct SurfacePoint {
    var position: Vector3
    /// The geometric normal of the triangle, towards the viewer.
    var geometricNormal: Vector3
    /// The orthonormal axes of the surface: x along the tangent or the direction of an anisotropy, z the shading normal, towards the
    /// viewer.
    var tangent: Vector3
    var bitangent: Vector3
    var normal: Vector3
    var coatNormal: Vector3
    /// Whether the view is of the outer side.
    var isFront: Bool

    var model = PathMaterial.Model.physical
    var baseColor = Vector3(repeating: 1)
    var metalness: Float = 0
    var roughness: Float = 0.5
    var facets = Microfacets(0.25, 0.25)
    /// Strength of the anisotropy, 0…1.
    var anisotropy: Float = 0
    var emission = Vector3(repeating: 0)
    /// Reflectance of the dielectric straight on and at grazing angles.
    var f0 = Vector3(repeating: 0.04)
    var f90: Float = 1
    /// The index of refraction, and its reflectance straight on.
    var ior: Float = 1.5
    var straightOn: Float = 0.04
    var dielectricTable: Int32 = 3

    var coat: Float = 0
    var coatRoughness: Float = 0
    var sheenColor = Vector3(repeating: 0)
    var sheenRoughness: Float = 0
    var film: Float = 0
    var filmIOR: Float = 1.3
    var filmThickness: Float = 0

    var transmission: Float = 0
    var isThin = true
    /// Index behind the surface over index before it, as seen by the viewer.
    var ratio: Float = 1
    var glassTable: Int32 = 0

    var highlight = Vector3(repeating: 0)
    var shininess: Float = 0

    @inline(__always) func local(_ d: Vector3) -> Vector3 { Vector3(dot(d, tangent), dot(d, bitangent), dot(d, normal)) }
    @inline(__always) func world(_ d: Vector3) -> Vector3 { tangent * d.x + bitangent * d.y + normal * d.z }
}
