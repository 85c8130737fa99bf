import VitrineAR
import VitrineMath
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A scene with nodes attached to a session's anchors, lit by the light estimate, with shadow receivers on the planes.
///
/// ```swift
/// let content = AnchoredScene()
/// content.attach(cube, to: anchor)           // before or after the session adds the anchor
/// …
/// let image = try renderer.image(of: content, in: frame, width: 640, height: 360)
/// ```
///
/// The scene's world is the session's: nodes added to `scene.rootNode` directly stay in place.
public final class AnchoredScene {
    /// The scene to render.
    public let scene = Scene(name: "anchored")
    /// Whether the map of the environment probe nearest to the camera lights the scene instead of `scene.environment`'s own image, if there is one.
    /// Default true.
    public var usesEnvironmentProbes = true
    /// Whether planes receive shadows. Default true.
    public var receivesShadows = true
    /// The value of `scene.environment.intensity` for neutral light. Default 0.45.
    public var environmentIntensity: Float = 0.45
    /// The intensity of `light` for neutral light, in lux; 0 disables it. Default 2.
    public var lightIntensity: Float = 2
    /// The angular diameter of `light` for shadows on planes: larger is softer. Default 11°.
    public var lightDiameter = Angle.degrees(11)
    /// A directional light from above, slightly in front and to the left of the session's start: it gives objects a contact shadow. Its own
    /// `angularDiameter` applies to shadows of objects on objects: 0 (hard), because soft ones dominate the frame time on a software GPU.
    public let light = Node(name: "light")

    private struct Follower {
        let identifier: UUID
        let standsOnGround: Bool
        /// The node with the anchor's transform.
        let holder: Node
    }

    private var followers: [Follower] = []
    /// The environment's own image while a probe's is used.
    private var ownImage: Image?
    private var probeImage: Image?
    private(set) var receivers = ShadowReceivers()
    /// Counts removed nodes and replaced environments, whose resources renderers may free.
    private(set) var removalCount = 0

    /// Creates an empty scene with a studio environment and a transparent background.
    public init() {
        scene.environment = .studio()
        scene.environment.background = .transparent
        var light = Light(.directional, intensity: lightIntensity, castsShadow: true)
        light.shadow = ShadowSettings(resolution: 512, cascadeCount: 1)
        self.light.light = light
        self.light.transform = .lookAt(eye: Vector3(-0.35, 1, 0.3), target: .zero)
        scene.rootNode.addChildNode(self.light)
    }

    /// Attaches a node to an anchor, in the anchor's frame. It is visible in frames with the anchor.
    ///
    /// - Parameter standsOnGround: Whether the anchor's x and z axes span a surface that receives shadows without a detected plane, as for the
    ///   hit of a ray cast. Default false.
    public func attach(_ node: Node, to anchor: ARAnchor, standsOnGround: Bool = false) {
        let holder = Node(name: anchor.name ?? "anchor")
        holder.transform = anchor.transform
        holder.addChildNode(node)
        scene.rootNode.addChildNode(holder)
        followers.append(Follower(identifier: anchor.identifier, standsOnGround: standsOnGround, holder: holder))
    }

    /// Removes all nodes attached to an anchor.
    public func detach(from anchor: ARAnchor) {
        removalCount += 1
        for follower in followers where follower.identifier == anchor.identifier { follower.holder.removeFromParentNode() }
        followers.removeAll { $0.identifier == anchor.identifier }
    }

    /// The nodes attached to an anchor.
    public func nodes(on anchor: ARAnchor) -> [Node] {
        followers.filter { $0.identifier == anchor.identifier }.flatMap { $0.holder.childNodes }
    }

    /// The node with an anchor's transform that contains the attached nodes; nil without any.
    public func node(for anchor: ARAnchor) -> Node? { followers.first { $0.identifier == anchor.identifier }?.holder }

    /// The identifier of the anchor to which a node, or a node above it, is attached; nil for none.
    package func anchorIdentifier(for node: Node) -> UUID? {
        var ancestor: Node? = node
        while let current = ancestor {
            if let follower = followers.first(where: { $0.holder === current }) { return follower.identifier }
            ancestor = current.parent
        }
        return nil
    }

    /// Updates transforms and light by a frame. Renderers call it.
    public func update(with frame: ARFrame) {
        var casters: [ShadowReceivers.Caster] = []
        for follower in followers {
            let anchor = frame.anchors.first { $0.identifier == follower.identifier }
            if follower.holder.isHidden != (anchor == nil) { follower.holder.isHidden = anchor == nil }
            guard let anchor else { continue }
            if follower.holder.transform != anchor.transform { follower.holder.transform = anchor.transform }
            let bounds = follower.holder.worldBounds
            guard !bounds.isEmpty else { continue }
            casters.append(.init(bounds: bounds, own: follower.standsOnGround ? anchor.transform : nil))
        }
        receivers.update(receivesShadows ? casters : [], frame.anchors.compactMap { $0 as? ARPlaneAnchor }, in: scene)
        updateProbe(frame)
        updateLight((frame.lightEstimate?.ambientIntensity ?? 1000) / 1000)
    }

    /// The state on which the shadows on the receivers depend: equal states have equal shadows.
    var shadowState: ShadowState {
        scene.update()
        var state = ShadowState(receivers: receivers.pieces.map(\.surface))
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
        state.rotation = scene.environment.rotation
        return state
    }

    struct ShadowState: Equatable {
        /// Transforms and deformations of shadow casters.
        struct Poses: Equatable {
            var transforms: [Matrix4] = []
            var weights: [Float] = []
        }

        var receivers: [ShadowReceivers.Surface]
        var poses = Poses()
        var objects: [ObjectIdentifier] = []
        var opacities: [Float] = []
        var image: ObjectIdentifier?
        var rotation = Angle.zero
    }

    /// Uses the map of the nearest probe.
    private func updateProbe(_ frame: ARFrame) {
        let eye = frame.camera.transform.translation
        let probes = frame.anchors.compactMap { $0 as? AREnvironmentProbeAnchor }.filter { $0.environmentTexture != nil }
        let nearest = probes.min { length($0.transform.translation - eye) < length($1.transform.translation - eye) }
        let wanted = usesEnvironmentProbes ? nearest?.environmentTexture : nil
        guard wanted !== probeImage else { return }
        removalCount += 1
        if probeImage == nil { ownImage = scene.environment.image }
        scene.environment.image = wanted ?? ownImage
        probeImage = wanted
    }

    /// Updates the light from an estimate, in steps of half a percent, because a changed light invalidates cached shadows.
    private func updateLight(_ estimate: Float) {
        let brightness = exp2((log2(max(estimate, 1e-6)) * 128).rounded() / 128)
        // A probe has the brightness of the camera's images.
        scene.environment.intensity = probeImage == nil ? environmentIntensity * brightness : 1
        if light.light?.intensity != lightIntensity * brightness { light.light?.intensity = lightIntensity * brightness }
    }
}

extension ARLightEstimate {
    /// The colour of the light relative to white (6500 K), with luminance 1.
    ///
    /// Uses the mean of estimate and white in mireds: much of the estimated colour is that of the room's surfaces, and cameras balance white.
    var tint: Vector3 {
        let temperature = 2 / (1 / ambientColorTemperature + 1 / 6500)
        let color = linearColor(temperature: temperature) / linearColor(temperature: 6500)
        return color / dot(color, Vector3(0.2126, 0.7152, 0.0722))
    }
}
