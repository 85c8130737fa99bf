import VitrineMath

extension Node {
    /// Returns a copy of this node and its descendants that belongs to no tree. Meshes, geometry and materials are shared, not copied; cameras,
    /// lights and transforms are copied. If the joints of a skin or the target of a constraint are in the copied tree, the copy refers to their
    /// copies. Actions are not copied.
    public func clone() -> Node { NodeCopier().copy(self) }
}

extension Scene {
    /// Returns a copy of the scene. Nodes and environment settings are new; animations refer to the new nodes, and none of them plays; meshes, materials
    /// and images are shared.
    public func clone() -> Scene {
        let copy = Scene(name: name)
        let copier = NodeCopier()
        copier.copyState(of: rootNode, to: copy.rootNode)
        for child in rootNode.childNodes { copy.rootNode.addChildNode(copier.copyTree(child)) }
        copier.remap()
        copy.environment = Environment(
            image: environment.image, intensity: environment.intensity, rotation: environment.rotation, background: environment.background)
        (copy.environment.backgroundBlur, copy.environment.ground) = (environment.backgroundBlur, environment.ground)
        (copy.variantNames, copy.variant) = (variantNames, variant)
        copy.pointOfView = pointOfView.map { copier.copies[ObjectIdentifier($0)] ?? $0 }
        copy.animations = animations.map { clip in
            AnimationClip(
                name: clip.name, tracks: clip.tracks.map { $0.retargeted(to: copier.copies[ObjectIdentifier($0.node)] ?? $0.node) })
        }
        return copy
    }
}

/// Copies trees and records the copy of each node.
private final class NodeCopier {
    private(set) var copies: [ObjectIdentifier: Node] = [:]
    /// The copied nodes in the order of copying, so that the order of work is fixed.
    private var made: [Node] = []

    func copy(_ node: Node) -> Node {
        let copy = copyTree(node)
        remap()
        return copy
    }

    func copyTree(_ root: Node) -> Node {
        let result = record(root.shallowCopy(), of: root)
        var pending: [(original: Node, copy: Node)] = [(root, result)]
        while let (original, copy) = pending.popLast() {
            for child in original.childNodes {
                let childCopy = record(child.shallowCopy(), of: child)
                copy.addChildNode(childCopy)
                pending.append((child, childCopy))
            }
        }
        return result
    }

    /// Copies the values of a root node. The root of a scene cannot be replaced.
    func copyState(of root: Node, to newRoot: Node) {
        newRoot.name = root.name
        newRoot.mesh = root.mesh
        newRoot.camera = root.camera
        newRoot.light = root.light
        newRoot.skin = root.skin
        newRoot.morphWeights = root.morphWeights
        newRoot.transform = root.transform
        newRoot.pivot = root.pivot
        newRoot.opacity = root.opacity
        newRoot.isHidden = root.isHidden
        newRoot.categoryBitMask = root.categoryBitMask
        newRoot.renderingOrder = root.renderingOrder
        newRoot.constraints = root.constraints
        newRoot.castsShadow = root.castsShadow
        record(newRoot, of: root)
    }

    @discardableResult
    private func record(_ copy: Node, of original: Node) -> Node {
        copies[ObjectIdentifier(original)] = copy
        made.append(copy)
        return copy
    }

    /// Redirects references between copied nodes to the copies.
    func remap() {
        remapSkins()
        for node in made where !node.constraints.isEmpty {
            node.constraints = node.constraints.map { constraint in
                guard let target = constraint.target?.node, let copy = copies[ObjectIdentifier(target)] else { return constraint }
                return constraint.retargeted(to: copy.reference)
            }
        }
    }

    /// Copies skins; nodes that shared a skin share its copy.
    private func remapSkins() {
        var skins: [ObjectIdentifier: Skin] = [:]
        for node in made {
            guard let skin = node.skin else { continue }
            guard let copy = skins[ObjectIdentifier(skin)] ?? Skin(skin, replacingJoints: { copies[ObjectIdentifier($0)] }) else {
                continue
            }
            skins[ObjectIdentifier(skin)] = copy
            node.skin = copy
        }
    }
}
