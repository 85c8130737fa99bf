extension NodeStore {
    /// The step that is being taken; 0 between steps.
    var currentStep: UInt64 { isStepping ? stepCount : 0 }

    /// Whether a node has something to do.
    var isActing: Bool {
        for slot in actingSlots where node(at: slot)?.hasActions ?? false { return true }
        return false
    }

    /// The node in `slot` has something to do.
    func startActing(_ slot: Int32) {
        let i = Int(slot)
        guard !inputs.pointee.flags[i].contains(.isActing) else { return }
        inputs.pointee.flags[i].insert(.isActing)
        actingSlots.append(slot)
        if !isStepping { onActivity?() }
    }

    /// Lets `seconds` pass for the actions of all nodes, in the order in which the nodes got something to do.
    func advanceActions(by seconds: Double) {
        // An action that lets time pass would never end.
        guard !actingSlots.isEmpty, !isStepping else { return }
        isStepping = true
        stepCount &+= 1
        // Who gets something to do meanwhile begins with the next step.
        for slot in actingSlots {
            // A slot that went from one node to another in between stands in the list twice.
            guard inputs.pointee.flags[Int(slot)].contains(.isActing), let node = node(at: slot), let behavior = node.behavior,
                behavior.step != stepCount
            else { continue }
            behavior.step = stepCount
            node.advanceActions(by: seconds, step: stepCount)
        }
        isStepping = false
        forgetIdle()
    }

    private func forgetIdle() {
        var kept: [Int32] = []
        kept.reserveCapacity(actingSlots.count)
        // The flag says who is in the list: taken away from all, given back to each once.
        for slot in actingSlots { inputs.pointee.flags[Int(slot)].remove(.isActing) }
        for slot in actingSlots {
            let i = Int(slot)
            guard !inputs.pointee.flags[i].contains(.isActing), node(at: slot)?.hasActions ?? false else { continue }
            inputs.pointee.flags[i].insert(.isActing)
            kept.append(slot)
        }
        actingSlots = kept
    }
}
