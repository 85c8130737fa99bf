import VitrineMath

/// What a frame shows where nothing is drawn.
public enum Background {
    /// Nothing: alpha 0.
    case transparent
    /// A uniform colour.
    case color(Color)
    /// The environment's own image, rotated with it.
    case environment
    /// Another image in any layout of `EnvironmentLayout`, rotated with the environment.
    case image(Image)
}

/// Image-based light: an equirectangular image, twice as wide as high, or a cube map in one of the layouts of `EnvironmentLayout`.
///
/// Integers are sRGB, floats linear radiance. The centre of an equirectangular image is in direction +X, its upper edge in direction +Y, and a quarter
/// of the width to the right of the centre is in direction +Z.
/// `rotation` rotates light and background together about +Y (right-handed) at no cost.
public final class Environment {
    /// nil: black.
    public var image: Image? {
        didSet { version &+= 1 }
    }
    /// Factor on the light and the visible environment. Default 1.
    public var intensity: Float
    /// About +Y, right-handed. Default 0.
    public var rotation: Angle
    /// Default `.environment`.
    public var background: Background {
        didSet { version &+= 1 }
    }
    /// Blur of the visible environment or background image, 0…1: as a mirror of this roughness reflects it. Default 0.
    public var backgroundBlur: Float = 0
    /// Projects the visible environment onto the ground. Default nil: it is infinitely far away.
    public var ground: GroundProjection?
    /// Incremented when an image changes, not with intensity or rotation.
    public private(set) var version = 0

    /// Makes an environment; without an image it is black.
    public init(image: Image? = nil, intensity: Float = 1, rotation: Angle = .zero, background: Background = .environment) {
        (self.image, self.intensity, self.rotation, self.background) = (image, intensity, rotation, background)
    }
}
