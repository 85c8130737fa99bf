import VitrineAR
import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A scene whose parts hang on a session's anchors, lit as the room is, with floors that catch their shadows.
///
/// ```swift
/// let content = AnchoredScene()
/// content.attach(cube, to: anchor)           // before or after the session has the anchor
/// …
/// try renderer.draw(content, in: frame, to: target.view)
/// ```
///
/// The scene's world is the session's: what is added to `scene.rootNode` directly stays where it is put there.
public final class AnchoredScene {
    public let scene = Scene(name: "anchored")
    /// Whether things throw shadows on planes. Default true.
    public var receivesShadows = true
    /// What `scene.environment.intensity` is where the light is neutral. Default 0.45.
    public var environmentIntensity: Float = 0.45
    /// What the lamp's intensity is where the light is neutral, in lux; 0: no lamp. Default 2.
    public var lightIntensity: Float = 2
    /// How large the lamp looks: how soft the edges of shadows on planes are. Default 11°.
    public var lightDiameter = Angle.degrees(11)
    /// A lamp under the ceiling, from a little before and to the left of where the session began: it is what gives things a shadow that one sees
    /// them stand by. Its own `angularDiameter` is that of shadows which things throw on things: 0, hard, since soft ones cost a software
    /// GPU more in every frame than all the rest.
    public let lamp = Node(name: "lamp")

    private struct Follower {
        let identifier: UUID
        let standsOnGround: Bool
        /// Takes the anchor's place.
        let holder: Node
    }

    private var followers: [Follower] = []
    private(set) var floors = ShadowReceivers()

    /// Lit by a studio until another environment is set; behind it is the camera's picture.
    public init() {
        scene.environment = .studio()
        scene.environment.background = .transparent
        var light = Light(.directional, intensity: lightIntensity, castsShadow: true)
        light.shadow = ShadowSettings(resolution: 512, cascadeCount: 1)
        lamp.light = light
        lamp.transform = .lookAt(eye: Vector3(-0.35, 1, 0.3), target: .zero)
        scene.rootNode.addChildNode(lamp)
    }

    /// Hangs a node on an anchor, in the anchor's frame. It is shown in frames that have the anchor.
    ///
    /// - Parameter standsOnGround: Whether the anchor's own x and z span a surface that catches shadows where no plane has been found there: so
    ///   does the place where a ray met a surface.
    public func attach(_ node: Node, to anchor: ARAnchor, standsOnGround: Bool = false) {
        let holder = Node(name: anchor.name ?? "anchor")
        holder.transform = anchor.transform
        holder.addChildNode(node)
        scene.rootNode.addChildNode(holder)
        followers.append(Follower(identifier: anchor.identifier, standsOnGround: standsOnGround, holder: holder))
    }

    /// Takes away all that hangs on an anchor.
    public func detach(from anchor: ARAnchor) {
        for follower in followers where follower.identifier == anchor.identifier { follower.holder.removeFromParentNode() }
        followers.removeAll { $0.identifier == anchor.identifier }
    }

    /// What hangs on an anchor.
    public func nodes(on anchor: ARAnchor) -> [Node] {
        followers.filter { $0.identifier == anchor.identifier }.flatMap { $0.holder.childNodes }
    }

    /// Brings everything to where the frame's anchors are, and into the frame's light. Whoever draws calls it.
    public func follow(_ frame: ARFrame) {
        var grounds: [ShadowReceivers.Ground] = []
        for follower in followers {
            let anchor = frame.anchors.first { $0.identifier == follower.identifier }
            if follower.holder.isHidden != (anchor == nil) { follower.holder.isHidden = anchor == nil }
            guard let anchor else { continue }
            if follower.holder.transform != anchor.transform { follower.holder.transform = anchor.transform }
            let bounds = follower.holder.worldBounds
            guard !bounds.isEmpty else { continue }
            grounds.append(.init(bounds: bounds, own: follower.standsOnGround ? anchor.transform : nil))
        }
        floors.follow(receivesShadows ? grounds : [], frame.anchors.compactMap { $0 as? ARPlaneAnchor }, in: scene)
        light(by: (frame.lightEstimate?.ambientIntensity ?? 1000) / 1000)
    }

    /// All that shadows on the floors depend on, as the scene is now: equal states have equal shadows.
    var shadowState: ShadowState {
        scene.update()
        var state = ShadowState(floors: floors.pieces.map(\.surface))
        scene.rootNode.forSubtree { node in
            if node.light != nil || (node.mesh != nil && node.castsShadow) {
                state.poses.transforms.append(node.worldTransform)
                for joint in node.skin?.joints ?? [] { state.poses.transforms.append(joint?.worldTransform ?? .identity) }
                state.poses.weights += node.morphWeights
                state.objects.append(ObjectIdentifier(node.mesh.map { $0 as AnyObject } ?? node))
                state.opacities.append(scene.store.worldOpacities[Int(node.slot)])
            }
        }
        state.image = scene.environment.image.map { ObjectIdentifier($0) }
        state.turn = scene.environment.rotation
        return state
    }

    struct ShadowState: Equatable {
        /// Where all that throws shadows is, and how it is bent.
        struct Poses: Equatable {
            var transforms: [Matrix4] = []
            var weights: [Float] = []
        }

        var floors: [ShadowReceivers.Surface]
        var poses = Poses()
        var objects: [ObjectIdentifier] = []
        var opacities: [Float] = []
        var image: ObjectIdentifier?
        var turn = Angle.zero
    }

    /// In steps of half a percent: a lamp that changes is a new scene to the renderer, and costs it new shadows.
    private func light(by estimate: Float) {
        let brightness = exp2((log2(max(estimate, 1e-6)) * 128).rounded() / 128)
        scene.environment.intensity = environmentIntensity * brightness
        if lamp.light?.intensity != lightIntensity * brightness { lamp.light?.intensity = lightIntensity * brightness }
    }
}

extension ARLightEstimate {
    /// The colour of the light, as a factor of white light's: 6500 K is white. Its luminance is 1.
    ///
    /// The estimate is believed by half, in steps that look alike (mireds): most of what it takes for the light's colour is that of a room's surfaces,
    /// and cameras balance their white.
    var tint: Vector3 {
        let temperature = 2 / (1 / ambientColorTemperature + 1 / 6500)
        let color = linearColor(temperature: temperature) / linearColor(temperature: 6500)
        return color / dot(color, Vector3(0.2126, 0.7152, 0.0722))
    }
}
