import VitrineMath

extension Node {
    /// 0…1, multiplied down the tree.
    public var opacity: Float {
        get {
            switch home {
            case .free(let state): state.opacity
            case .attached(let store): store.inputs.pointee.opacities[Int(slot)]
            }
        }
        set {
            switch home {
            case .free(let state): state.opacity = newValue
            case .attached(let store):
                store.inputs.pointee.opacities[Int(slot)] = newValue
                store.markMoved(slot)
            }
        }
    }

    /// Hides the node with everything below it.
    public var isHidden: Bool {
        get {
            switch home {
            case .free(let state): state.isHidden
            case .attached(let store): store.inputs.pointee.flags[Int(slot)].contains(.isHidden)
            }
        }
        set {
            switch home {
            case .free(let state): state.isHidden = newValue
            case .attached(let store):
                if newValue {
                    store.inputs.pointee.flags[Int(slot)].insert(.isHidden)
                } else {
                    store.inputs.pointee.flags[Int(slot)].remove(.isHidden)
                }
                store.markMoved(slot)
            }
        }
    }

    /// Lights and cameras that share no bit with it pass it by.
    public var categoryBitMask: UInt32 {
        get {
            switch home {
            case .free(let state): state.categoryBitMask
            case .attached(let store): store.categoryBitMasks[Int(slot)]
            }
        }
        set {
            switch home {
            case .free(let state): state.categoryBitMask = newValue
            case .attached(let store):
                store.categoryBitMasks[Int(slot)] = newValue
                store.structureVersion &+= 1
            }
        }
    }

    /// Whether the node's mesh casts shadows of lights with `castsShadow`. Default true.
    public var castsShadow: Bool {
        get {
            switch home {
            case .free(let state): state.castsShadow
            case .attached(let store): store.castsShadow(at: slot)
            }
        }
        set {
            switch home {
            case .free(let state): state.castsShadow = newValue
            case .attached(let store): store.setCastsShadow(newValue, at: slot)
            }
        }
    }

    /// Greater values are drawn later; 0 by default.
    public var renderingOrder: Int {
        get {
            switch home {
            case .free(let state): Int(state.renderingOrder)
            case .attached(let store): Int(store.renderingOrders[Int(slot)])
            }
        }
        set {
            let value = Int32(clamping: newValue)
            switch home {
            case .free(let state): state.renderingOrder = value
            case .attached(let store):
                store.renderingOrders[Int(slot)] = value
                store.structureVersion &+= 1
            }
        }
    }

    /// The first material of the node's mesh.
    public var material: Material? { mesh?.parts.first?.material }
}
