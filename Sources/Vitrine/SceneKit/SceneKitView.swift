import VitrineMath
import VitrineRender
import VitrineScene

// SceneKit's names on lights, cameras and views. Their use is an error that names the replacement.

extension Light {
    @available(*, unavailable, message: "use kind: .point, .directional, .spot(inner: …, outer: …), .ambient, .rectangle(…) or .disc(…)")
    public var type: Kind {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use kind = .spot(inner: .degrees(…), outer: .degrees(…)); both angles are measured from the axis")
    public var spotInnerAngle: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use kind = .spot(inner: .degrees(…), outer: .degrees(…)); both angles are measured from the axis")
    public var spotOuterAngle: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "range")
    public var attenuationEndDistance: Float {
        get { fatalError() }
        set { fatalError() }
    }
}

extension Light.Kind {
    @available(*, unavailable, renamed: "point")
    public static var omni: Light.Kind { fatalError() }
}

extension Camera {
    @available(*, unavailable, message: "use projection = .perspective(fieldOfView: .degrees(…)); the angle is vertical")
    public var fieldOfView: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use projection = .orthographic(scale: …)")
    public var usesOrthographicProjection: Bool {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use projection = .orthographic(scale: …)")
    public var orthographicScale: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "near")
    public var zNear: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "far")
    public var zFar: Float {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "rendering is always HDR: choose SceneView.options.toneMapping")
    public var wantsHDR: Bool {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use lens = Lens(…)")
    public var wantsDepthOfField: Bool {
        get { fatalError() }
        set { fatalError() }
    }
}

extension SceneView {
    @available(*, unavailable, message: "use scene.environment.background = .color(…)")
    public var backgroundColor: Color {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "options.sampleCount")
    public var antialiasingMode: Int {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "options.debugView")
    public var debugOptions: Int {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use onUpdate = { time in … }")
    public var delegate: AnyObject? {
        get { fatalError() }
        set { fatalError() }
    }
}
