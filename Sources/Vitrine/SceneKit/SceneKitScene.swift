import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// SceneKit's names on scenes and nodes. Their use is an error that names the replacement.

extension Scene {
    @available(*, unavailable, message: "use try await Scene(contentsOf: url)")
    public convenience init(url: URL, options: [String: Any]? = nil) throws { fatalError() }

    @available(*, unavailable, message: "use environment: Environment(contentsOf: url), environment.intensity, environment.rotation")
    public var lightingEnvironment: ColorSlot { fatalError() }

    @available(*, unavailable, message: "use environment.background: .color(…), .image(…), .environment or .transparent")
    public var background: ColorSlot { fatalError() }

    @available(*, unavailable, message: "use try ModelFile.write(scene, to: url)")
    public func write(to url: URL) throws { fatalError() }
}

extension Node {
    @available(*, unavailable, message: "use mesh = Mesh(geometry: …, material: …)")
    public var geometry: Geometry? {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "use Node(name: …, mesh: Mesh(geometry: …, material: …))")
    public convenience init(geometry: Geometry?) { fatalError() }

    @available(*, unavailable, message: "use the node itself: actions and animations change its own values")
    public var presentation: Node { fatalError() }

    @available(*, unavailable, message: "use mesh?.bounds (local frame) or worldBounds")
    public var boundingBox: (min: Vector3, max: Vector3) { fatalError() }

    @available(*, unavailable, message: "use orientation = Quaternion(angle: …, axis: …)")
    public var rotation: Vector4 {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "position")
    public var simdPosition: Vector3 {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "orientation")
    public var simdOrientation: Quaternion {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "eulerAngles")
    public var simdEulerAngles: Vector3 {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "scale")
    public var simdScale: Vector3 {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "transform")
    public var simdTransform: Matrix4 {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, renamed: "worldTransform")
    public var simdWorldTransform: Matrix4 { fatalError() }

    @available(*, unavailable, renamed: "worldPosition")
    public var simdWorldPosition: Vector3 { fatalError() }

    @available(*, unavailable, renamed: "convert(point:to:)")
    public func convertPosition(_ position: Vector3, to node: Node?) -> Vector3 { fatalError() }

    @available(*, unavailable, renamed: "convert(point:from:)")
    public func convertPosition(_ position: Vector3, from node: Node?) -> Vector3 { fatalError() }

    @available(*, unavailable, message: "use childNodes, or forSubtree { node in … } for all levels")
    public func enumerateChildNodes(_ block: (Node, UnsafeMutablePointer<Bool>) -> Void) { fatalError() }

    @available(*, unavailable, message: "use forSubtree { node in … }")
    public func enumerateHierarchy(_ block: (Node, UnsafeMutablePointer<Bool>) -> Void) { fatalError() }
}

extension Geometry {
    @available(*, unavailable, message: "materials belong to a mesh: use node.material, or Mesh(geometry: …, material: …)")
    public var firstMaterial: Material? {
        get { fatalError() }
        set { fatalError() }
    }

    @available(*, unavailable, message: "materials belong to a mesh: use mesh.parts, or Mesh(shape: …, materials: …)")
    public var materials: [Material] {
        get { fatalError() }
        set { fatalError() }
    }
}

extension Action {
    @available(*, unavailable, renamed: "rotate(byX:y:z:duration:)")
    public static func rotateBy(x: Float, y: Float, z: Float, duration: Double) -> Action { fatalError() }

    @available(*, unavailable, renamed: "rotate(toX:y:z:duration:)")
    public static func rotateTo(x: Float, y: Float, z: Float, duration: Double) -> Action { fatalError() }

    @available(*, unavailable, message: "use .move(by: [x, y, z], duration: …)")
    public static func moveBy(x: Float, y: Float, z: Float, duration: Double) -> Action { fatalError() }

    @available(*, unavailable, message: "use .move(to: [x, y, z], duration: …)")
    public static func moveTo(x: Float, y: Float, z: Float, duration: Double) -> Action { fatalError() }
}
