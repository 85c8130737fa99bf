import VitrineMath

/// The background of a frame, visible where nothing is drawn.
public enum Background {
    /// A transparent background, with alpha 0.
    case transparent
    /// A uniform colour.
    case color(Color)
    /// The image of the environment, rotated with it.
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
    /// The image; nil for a black environment.
    public var image: Image? {
        didSet { version &+= 1 }
    }
    /// The factor on the light and the visible environment. Default 1.
    public var intensity: Float
    /// The rotation about +Y, right-handed. Default 0.
    public var rotation: Angle
    /// The background of the image. Default `.environment`.
    public var background: Background {
        didSet { version &+= 1 }
    }
    /// The blur of the visible environment or background image, 0…1, equal to that of a reflection with this roughness. Default 0.
    public var backgroundBlur: Float = 0
    /// Projects the visible environment onto the ground. Default nil: it is infinitely far away.
    public var ground: GroundProjection?
    /// The version, incremented when an image changes, but not when intensity or rotation change.
    public private(set) var version = 0

    /// Creates an environment; without an image it is black.
    public init(image: Image? = nil, intensity: Float = 1, rotation: Angle = .zero, background: Background = .environment) {
        (self.image, self.intensity, self.rotation, self.background) = (image, intensity, rotation, background)
    }
}
