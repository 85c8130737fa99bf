/// A surface quantity to show instead of light, without tone mapping.
///
/// Directions are drawn as `0.5 + 0.5 · direction`, in world coordinates; numbers as grey.
public enum DebugView: Int, CaseIterable, Sendable {
    /// Normals with the normal map applied.
    case normals = 1
    /// Normals of the geometry, interpolated.
    case geometricNormals
    /// Tangents of the geometry, interpolated.
    case tangents
    /// u in red, v in green, both modulo 1.
    case textureCoordinates
    /// Linear base colour, with its map and vertex colours.
    case baseColor
    /// 0 dielectric … 1 metal, with its map.
    case metalness
    /// Perceptual roughness, 0…1, with its map.
    case roughness
    /// The share of the environment's light that arrives: the occlusion map, or screen-space occlusion.
    case occlusion
    /// Linear emission, with its map.
    case emission
    /// Opacity before masking and blending.
    case alpha
    /// Strength of the coat, 0…1.
    case clearcoat
    /// Perceptual roughness of the coat, 0…1.
    case clearcoatRoughness
    /// Normals of the coat with its normal map applied.
    case clearcoatNormals
    /// Linear vertex colours.
    case vertexColors
    /// Front faces green, back faces red.
    case faceOrientation
    /// Light from the environment that is scattered diffusely.
    case diffuseEnvironment
    /// Light from the environment that is reflected.
    case specularEnvironment
    /// Number of punctual lights in a pixel's cluster, from blue (one) to red (32 and more).
    case lightCount
    /// Edges of the triangles only.
    case wireframe

    /// The name on a command line: `geometric-normals`.
    public var name: String {
        switch self {
        case .normals: "normals"
        case .geometricNormals: "geometric-normals"
        case .tangents: "tangents"
        case .textureCoordinates: "uv"
        case .baseColor: "base-color"
        case .metalness: "metalness"
        case .roughness: "roughness"
        case .occlusion: "occlusion"
        case .emission: "emission"
        case .alpha: "alpha"
        case .clearcoat: "clearcoat"
        case .clearcoatRoughness: "clearcoat-roughness"
        case .clearcoatNormals: "clearcoat-normals"
        case .vertexColors: "vertex-colors"
        case .faceOrientation: "face-orientation"
        case .diffuseEnvironment: "diffuse-environment"
        case .specularEnvironment: "specular-environment"
        case .lightCount: "light-count"
        case .wireframe: "wireframe"
        }
    }

    /// The view with this name, or nil.
    public init?(named name: String) {
        for view in DebugView.allCases where view.name == name {
            self = view
            return
        }
        return nil
    }
}
