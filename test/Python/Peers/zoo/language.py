# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models and encoders of transformers, by config."""
import transformers as t

from . import Entry, classes, model, of_logits, tokens

SIZES = dict(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=1)
ENCODER = dict(vocab_size=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
               hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pad_token_id=0)


def decoder(name, make, **options):
    @model(name)
    def entry():
        batch = tokens()
        return Entry(make().train(), lambda: {"input_ids": batch()}, tokens(), of_logits, **options)


decoder("LLaMA", lambda: t.LlamaForCausalLM(t.LlamaConfig(**SIZES)))
decoder("Qwen3", lambda: t.Qwen3ForCausalLM(t.Qwen3Config(**SIZES, head_dim=8)))
decoder("Qwen2", lambda: t.Qwen2ForCausalLM(t.Qwen2Config(**SIZES)))
decoder("Gemma-3", lambda: t.Gemma3ForCausalLM(t.Gemma3TextConfig(**SIZES, head_dim=8, sliding_window=4)))
decoder("Gemma-2", lambda: t.Gemma2ForCausalLM(t.Gemma2Config(**SIZES, head_dim=8, sliding_window=4)))
decoder("Phi", lambda: t.PhiForCausalLM(t.PhiConfig(**SIZES, resid_pdrop=0.0)))
decoder("Phi-3", lambda: t.Phi3ForCausalLM(t.Phi3Config(**SIZES)))
decoder("Mistral", lambda: t.MistralForCausalLM(t.MistralConfig(**SIZES, sliding_window=4)))
decoder("OLMo-2", lambda: t.Olmo2ForCausalLM(t.Olmo2Config(**SIZES)))
decoder("GPT-2", lambda: t.GPT2LMHeadModel(t.GPT2Config(
    vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    use_cache=False)))
decoder("GPT-NeoX", lambda: t.GPTNeoXForCausalLM(t.GPTNeoXConfig(**{
    k: v for k, v in SIZES.items() if k != "num_key_value_heads"})))
decoder("OPT", lambda: t.OPTForCausalLM(t.OPTConfig(
    vocab_size=64, hidden_size=32, ffn_dim=48, num_hidden_layers=2, num_attention_heads=4, dropout=0.0,
    max_position_embeddings=32, word_embed_proj_dim=32, use_cache=False)))
decoder("gpt-oss", lambda: t.GptOssForCausalLM(t.GptOssConfig(
    **SIZES, head_dim=8, num_local_experts=4, num_experts_per_tok=2, sliding_window=4)))
decoder("Mixtral", lambda: t.MixtralForCausalLM(t.MixtralConfig(
    **SIZES, num_local_experts=4, num_experts_per_tok=2)))
decoder("Qwen3-MoE", lambda: t.Qwen3MoeForCausalLM(t.Qwen3MoeConfig(
    **SIZES, head_dim=8, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16)))
decoder("DeepSeek-V3", lambda: t.DeepseekV3ForCausalLM(t.DeepseekV3Config(
    **{**SIZES, "num_key_value_heads": 4}, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8,
    v_head_dim=8, n_routed_experts=4, num_experts_per_tok=2, n_group=2, topk_group=1, moe_intermediate_size=16,
    first_k_dense_replace=1)))
decoder("Mamba", lambda: t.MambaForCausalLM(t.MambaConfig(
    vocab_size=64, hidden_size=32, num_hidden_layers=2, state_size=8, use_cache=False)))
decoder("Mamba-2", lambda: t.Mamba2ForCausalLM(t.Mamba2Config(
    vocab_size=64, hidden_size=32, num_hidden_layers=2, num_heads=8, head_dim=8, state_size=8, n_groups=2, expand=2,
    chunk_size=4, use_cache=False)))


def encoder(name, make, head=None):
    @model(name)
    def entry():
        batch = tokens()
        return Entry(make().train(), lambda: {"input_ids": batch()}, classes(count=3), of_logits)


encoder("BERT", lambda: t.BertForSequenceClassification(t.BertConfig(**ENCODER, num_labels=3)))
encoder("RoBERTa", lambda: t.RobertaForSequenceClassification(t.RobertaConfig(
    **ENCODER, num_labels=3, max_position_embeddings=32)))
encoder("ModernBERT", lambda: t.ModernBertForSequenceClassification(t.ModernBertConfig(
    **SIZES, num_labels=3, global_attn_every_n_layers=2, local_attention=4, cls_token_id=1, sep_token_id=1)))
encoder("DeBERTa-v3", lambda: t.DebertaV2ForSequenceClassification(t.DebertaV2Config(
    **ENCODER, num_labels=3, relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=4)))
encoder("ELECTRA", lambda: t.ElectraForSequenceClassification(t.ElectraConfig(
    **ENCODER, embedding_size=16, num_labels=3)))


@model("T5")
def t5():
    module = t.T5ForConditionalGeneration(t.T5Config(
        vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, dropout_rate=0.0, use_cache=False))
    return Entry(module.train(), lambda: {"input_ids": tokens()(), "decoder_input_ids": tokens()()}, tokens(), of_logits)


@model("BART")
def bart():
    module = t.BartForConditionalGeneration(t.BartConfig(
        vocab_size=64, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=16, dropout=0.0,
        use_cache=False))
    return Entry(module.train(), lambda: {"input_ids": tokens()(), "decoder_input_ids": tokens()()}, tokens(), of_logits)


@model("BERT with a padding mask")
def masked_bert():
    import torch

    def inputs():
        mask = torch.ones(4, 8, dtype=torch.int64)
        mask[1:, 5:] = 0
        return {"input_ids": tokens()(), "attention_mask": mask}

    module = t.BertForSequenceClassification(t.BertConfig(**ENCODER, num_labels=3))
    return Entry(module.train(), inputs, classes(count=3), of_logits)
